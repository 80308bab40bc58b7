#!/bin/sh
# Ask from a shell script: the answer comes as JSON, and the exit status says how it ended.

answer=$(askback ask "Where shall it go?" --choice staging --choice production --timeout 600)
case $? in
  0) echo "Deploying: $answer" ;;
  3) echo "Declined: leaving everything as it is." ;;
  5) echo "Nobody answered within ten minutes." ;;
  *) echo "Could not ask." >&2; exit 1 ;;
esac
