// The version, as in package.json

/** The version of this module. */
export const VERSION = '0.2.0';
