// The version, as in package.json

/** The version of this module. */
export const VERSION = '0.3.0';
