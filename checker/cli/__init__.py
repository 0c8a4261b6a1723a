"""The command line: words in, requests; requests out, reports and an exit code."""
