"""The version of this package, which every request to a gateway names."""
VERSION = "0.3.0"
