/** Returns the nonce with which the page's policy allows style elements. */
export const readNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
