#compdef buildtool
# Completion of buildtool for zsh: source it, or save it as _buildtool in a directory of $fpath.
_buildtool() {
    local line
    local -a reply values texts
    reply=("${(@f)$("${${(Q)words[1]}/#\~\//$HOME/}" __complete zsh "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    case $reply[1] in
        files) _files ;;
        directories) _files -/ ;;
        words)
            for line in "${(@)reply[2,-1]}"; do
                values+=("${line%%$'\t'*}")
                texts+=("${line/$'\t'/  -- }")
            done
            (( $#values )) && compadd -l -d texts -a values
            ;;
    esac
}
if [[ ${funcstack[1]} == _buildtool ]]; then
    _buildtool "$@"
else
    compdef _buildtool buildtool
fi
