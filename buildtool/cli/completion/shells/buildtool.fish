# Completion of buildtool for fish: save it as buildtool.fish in ~/.config/fish/completions.
function __buildtool_complete
    set -l current (commandline -ct)
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l reply ($program __complete fish $words "$current" 2>/dev/null)
    test (count $reply) -gt 0; or return
    set -l kind $reply[1]
    set -e reply[1]
    switch $kind
        case files
            __fish_complete_path "$current"
        case directories
            __fish_complete_directories "$current"
        case words
            test (count $reply) -gt 0; and printf '%s\n' $reply
    end
end
complete -c buildtool -f -a '(__buildtool_complete)'
