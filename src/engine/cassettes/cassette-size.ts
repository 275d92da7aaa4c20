/** Largest recording in bytes; larger files are not read as cassettes. */
export const cassetteBytesMax = 64 * 1024 * 1024;
