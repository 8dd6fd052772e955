"""CTranslate2 model folders: read from their binary file, written through the package's own specification."""
