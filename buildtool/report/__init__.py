"""`buildtool report`: the records of a project as one HTML file, or as Markdown.

Modules of sections read records and return `Section`, which `report` and `markdown` write.
"""
