"""The doors: command line, HTTP and the browser viewer."""
