/** The largest recording that is kept; a file that is larger is none of ours. */
export const cassetteBytesMax = 64 * 1024 * 1024;
