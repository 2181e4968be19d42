# Completion of buildtool for bash: source it, or put it into a directory that bash-completion loads.
_buildtool() {
    local line current=${COMP_WORDS[COMP_CWORD]}
    local -a reply
    mapfile -t reply < <("${1/#\~\//$HOME/}" __complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    COMPREPLY=()
    case ${reply[0]-} in
        files) compopt -o default ;;
        directories) compopt -o dirnames ;;
        words)
            for line in "${reply[@]:1}"; do
                line=${line%%$'\t'*}
                # Within quotes nothing is to be escaped.
                [[ $current == [\'\"]* ]] || printf -v line %q "$line"
                COMPREPLY+=("$line")
            done
            ;;
    esac
}
complete -F _buildtool buildtool
