/** A text, at once or from another process. */
export type Rendered = string | Promise<string>;

/** A parsed Jinja2 template. */
export interface Template {
  /** The names in it and in what it may include: every variable that it may read is among them, and so are filters. */
  readonly names: ReadonlySet<string>;
  /**
   * Renders with plain data; data that looks like a template stays text, functions and prototypes are left out, and a
   * variable that the template doesn't name is never read (so it may be a getter).
   * Throws AppError `template_failed` (unprocessable) naming template and line, also when a limit (steps, memory, size) is hit.
   */
  render(variables: Record<string, unknown>): Rendered;
}

/** One that is rendered in this thread. */
export interface ReadyTemplate extends Template {
  render(variables: Record<string, unknown>): string;
}

/** `json`: the template writes JSON, and what it prints is escaped for its place there, so that data stays data. */
export type Escaping = "none" | "json";

export interface UntrustedOptions {
  /** Default 100; starting the process doesn't count. */
  timeLimitMs?: number;
  /** Default `none`. */
  escaping?: Escaping;
}

export interface CompileOptions {
  /**
   * Default false: what is missing renders empty. True: a missing variable, attribute or element fails the template by its
   * name, in conditions too; `is defined` and `default()` ask for it without failing.
   */
  strict?: boolean;
}

/** Parses and renders Jinja2; hides which library does it. */
export interface TemplateEngine {
  /**
   * Parses once, for templates of the operator's files; `library` holds the templates it may include or import by name.
   * Throws AppError `template_invalid` (unprocessable) with line and column in `problems`.
   */
  compile(
    name: string,
    source: string,
    library?: Readonly<Record<string, string>>,
    options?: CompileOptions,
  ): Template;
  /** Renders a template that a model or a tenant wrote: in a process that is killed when the time limit passes. */
  renderUntrusted(
    source: string,
    variables: Record<string, unknown>,
    options?: UntrustedOptions,
  ): Promise<string>;
  /** Ends the process, if one runs: until then, or until nobody asked it for a minute, it keeps this one alive. */
  close(): void;
}
