"""`buildtool report`: the records of a project as one HTML file, or as Markdown.

Each module of a section reads records and returns `Section`, which `html` and `markdown` write.
"""
