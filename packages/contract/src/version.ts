/** The version of every package; a test keeps it equal to theirs. */
export const CONTRACT_VERSION = "0.1.0";
