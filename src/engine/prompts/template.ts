/** A parsed Jinja2 template. */
export interface Template {
  /**
   * Renders with plain data; data that looks like a template stays text.
   * Throws AppError `template_failed` (unprocessable) naming template and line, also when a limit (steps, memory, size) is hit.
   */
  render(variables: Record<string, unknown>): string;
}

/** Parses and renders Jinja2; hides which library does it. */
export interface TemplateEngine {
  /** Parses once, for templates of the operator's files. Throws AppError `template_invalid` with line and column in `problems`. */
  compile(name: string, source: string): Template;
  /** Renders a template that a model or a tenant wrote: in a worker that is killed after `timeLimitMs`. */
  renderUntrusted(source: string, variables: Record<string, unknown>, timeLimitMs?: number): Promise<string>;
  /** Ends the worker, if one runs. */
  close(): void;
}
