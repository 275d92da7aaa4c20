/** Returns the hexadecimal digits of random bytes. `crypto.randomUUID` doesn't exist on pages without TLS. */
export const randomHex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
