"""`python -m askback` is `askback`."""

from askback.cli.main import main

if __name__ == "__main__":
    main()
