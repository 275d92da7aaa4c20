/** The reason why reading a YAML text stopped, and its offset. Internal to the reader. */
export class YamlFault extends Error {
  readonly offset: number;
  readonly path: string;

  constructor(message: string, where: { offset: number; path?: string; cause?: unknown }) {
    super(message, { cause: where.cause });
    this.offset = where.offset;
    this.path = where.path ?? "";
  }
}
