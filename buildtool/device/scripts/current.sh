# Print the current release of each project, the one that was deployed last first: a line
# PROJECT/current LINK.  lock_state.sh comes after.  Set before:
#   root         where releases are installed; may begin with $HOME/
case $root in
    '$HOME'/*) root=$HOME/${root#??????} ;;
    '$HOME') root=$HOME ;;
esac
(
    cd "$root" 2>/dev/null || exit
    ls -dt ./*/current 2>/dev/null | head -n 200 | while IFS= read -r link; do
        printf '%s %s\n' "$link" "$(readlink "$link")"
    done
)
