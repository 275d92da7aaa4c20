/*
 * Jinja2 templates of prompts, chains and chat models: `jinja/` rewrites Jinja2 for minijinja, `minijinja/` runs it, and `untrusted/`
 * renders templates of strangers in a child process.
 */

/** A text, available now or from another process. */
export type Rendered = string | Promise<string>;

/** A parsed Jinja2 template. */
export interface TextTemplate {
  /** Identifiers in the template and in those it may include: all variables it may read, and filters. */
  readonly names: ReadonlySet<string>;
  /**
   * Renders with plain data. Data that looks like a template stays text, functions and prototypes are left out, and variables that the
   * template doesn't name are never read (so they may be getters). Throws AppError `template_failed` (unprocessable) with template and
   * line, also if a limit (steps, memory, size) is exceeded.
   */
  render(variables: Record<string, unknown>): Rendered;
}

/** A template that is rendered in this thread. */
export interface ReadyTemplate extends TextTemplate {
  render(variables: Record<string, unknown>): string;
}

/** `json`: the template writes JSON, and printed values are escaped for their position, so that data stays data. */
export type Escaping = "none" | "json";

export interface UntrustedOptions {
  /** Default: 100. The start of the process doesn't count. */
  timeLimitMs?: number;
  /** Default: `none`. */
  escaping?: Escaping;
}

export interface CompileOptions {
  /**
   * Default: false, missing values render as empty text. If true, a missing variable, attribute or element fails the template by its name,
   * also in conditions; `is defined` and `default()` test for it without failing.
   */
  strict?: boolean;
}

/** Parses and renders Jinja2, independent of the library used. */
export interface TemplateEngine {
  /**
   * Parses once, for templates in the operator's files; `library` has the templates it may include or import by name. Throws AppError
   * `template_invalid` (unprocessable) with line and column in `problems`.
   */
  compile(
    name: string,
    source: string,
    library?: Readonly<Record<string, string>>,
    options?: CompileOptions,
  ): TextTemplate;
  /** Renders a template written by a model or a tenant in a process that is killed after the time limit. */
  renderUntrusted(
    source: string,
    variables: Record<string, unknown>,
    options?: UntrustedOptions,
  ): Promise<string>;
  /** Ends the child process. Until then, or until it was idle for a minute, it keeps this process alive. */
  close(): void;
}
