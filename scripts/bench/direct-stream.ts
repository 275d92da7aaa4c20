/** Creates a body that is written to the socket without a queue: Bun's `direct` stream, which the DOM's types lack. */
export const directStream = (pull: (controller: ReadableStreamDirectController) => Promise<void>) =>
  new ReadableStream({ type: "direct", pull } as unknown as UnderlyingDefaultSource<Uint8Array<ArrayBuffer>>);
