import { statSync } from "node:fs";
import { resolve } from "node:path";
import { AppError, type Problem } from "../../kit/app-error.ts";
import { redactText } from "../../kit/secrets/redact-text.ts";

/** Origin of an effective value, in order of precedence, highest first. */
export type SettingSource =
  | "flag"
  | "environment"
  | "runtime.yaml"
  | "channels.yaml"
  | "providers.yaml"
  /** Set up through the API. */
  | "stored"
  /** Listed among the trusted workspaces. */
  | "trusted folders"
  | "default"
  | "generated";

/** An effective value, as `argosy config` prints it. */
export interface SettingRow {
  key: string;
  /** Masked if the setting is a secret; empty if it has no value. */
  value: string;
  source: SettingSource;
  /** Flag, variable or path in the file that set it. */
  name: string;
}

/** Sources and format of one setting. */
export interface SettingRule<T> {
  key: string;
  /** Value of the flag, if the command line has it. */
  flag?: { name: string; value: string | boolean | undefined };
  /** Names of environment variables; the first one set wins. */
  variables?: readonly string[];
  /** Value from runtime.yaml, or from the file named by `of`. */
  file?: { path: string; value: unknown; of?: "channels.yaml" };
  secret?: boolean;
  /** Parses the text of a flag or variable; returns undefined if it is not valid. */
  read: (text: string) => T | undefined;
  /** Description of valid values for errors, such as "a port from 0 to 65535"; a function if it depends on the fault. */
  expects: string | ((text: string) => string);
}

/** Reads settings by precedence, records their origins, and collects all faults before it throws. */
export class SettingReader {
  readonly rows: SettingRow[] = [];
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #problems: Problem[] = [];
  /** Refusals of files, each with its problems. */
  readonly #files: { name: string; refusal: AppError }[] = [];

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#environment = environment;
  }

  /** Returns the value of the first source that has one, or `fallback`, which is built in unless `origin` says otherwise. */
  get<T>(
    rule: SettingRule<T>,
    fallback: T,
    origin: Pick<SettingRow, "source" | "name"> = { source: "default", name: "built in" },
  ): T {
    return this.#find(rule) ?? this.#note(rule, fallback, origin.source, origin.name);
  }

  /** Like `get`, for settings without a default. */
  find<T>(rule: SettingRule<T>): T | undefined {
    const setting = this.#find(rule);
    if (setting === undefined) this.#note(rule, undefined, "default", "not set");
    return setting;
  }

  /** True if the environment has this variable. An empty one counts as not set. */
  has(variable: string): boolean {
    return Boolean(this.#environment[variable]);
  }

  fault(path: string, message: string): void {
    this.#problems.push({ path, message });
  }

  /** Returns the content of a file. If `read` refuses it, its problems are added to the others and `absent` takes its place. */
  file<T>(name: string, read: () => T, absent: () => T): T {
    try {
      return read();
    } catch (refusal) {
      if (!(refusal instanceof AppError)) throw refusal;
      this.#files.push({ name, refusal });
      return absent();
    }
  }

  /** Names of the files that can't be used; `values` stands for faulty flags, variables and values of files. */
  faulty(): string[] {
    return [...this.#files.map(({ name }) => name), ...(this.#problems.length > 0 ? ["values"] : [])];
  }

  /** Returns one error with all faults found so far; undefined if there are none. */
  refusal(): AppError | undefined {
    const [first] = this.#problems;
    const [file, ...more] = this.#files;
    if (file !== undefined && first === undefined && more.length === 0) return file.refusal;
    const messages = this.#files.map(({ refusal }) => refusal.message);
    if (first !== undefined) messages.push(`${first.path} ${first.message}`);
    if (messages.length === 0) return undefined;
    const problems = this.#files.flatMap(({ name, refusal }) =>
      (refusal.details.problems ?? [{ path: "", message: refusal.message }]).map((one) => ({
        file: name,
        ...one,
      })),
    );
    return new AppError(
      "invalid",
      "invalid_config",
      `The configuration is not valid: ${messages.join("; ")}.`,
      {
        details: { problems: [...problems, ...this.#problems] },
      },
    );
  }

  /** Throws the refusal, if there is one. */
  finish(): void {
    const refusal = this.refusal();
    if (refusal !== undefined) throw refusal;
  }

  #find<T>(rule: SettingRule<T>): T | undefined {
    const { flag, variables, file } = rule;
    if (flag?.value !== undefined) return this.#read(rule, String(flag.value), "flag", `--${flag.name}`);
    for (const name of variables ?? []) {
      const text = this.#environment[name];
      if (text !== undefined && text !== "") return this.#read(rule, text, "environment", name);
    }
    if (file?.value !== undefined)
      return this.#read(rule, String(file.value), file.of ?? "runtime.yaml", file.path);
    return undefined;
  }

  #read<T>(rule: SettingRule<T>, text: string, source: SettingSource, name: string): T | undefined {
    const value = rule.read(text);
    if (value !== undefined) return this.#note(rule, value, source, name);
    const { expects } = rule;
    this.fault(name, `must be ${typeof expects === "string" ? expects : expects(text)}`);
    return undefined;
  }

  #note<T>(rule: SettingRule<T>, value: T, source: SettingSource, name: string): T {
    this.rows.push({ key: rule.key, value: display(value, rule.secret === true), source, name });
    return value;
  }
}

function display(value: unknown, secret: boolean): string {
  if (value === undefined) return "";
  if (secret) return "••••••••";
  // An address may contain a password or a key.
  return redactText(Array.isArray(value) ? value.join(",") : String(value));
}

export const asPath = (text: string): string => resolve(text);

export function asFolder(text: string): string | undefined {
  const path = resolve(text);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : undefined;
}

export const asText = (text: string): string | undefined => text;

export function asFlag(text: string): boolean | undefined {
  if (["true", "1", "yes", "on"].includes(text.toLowerCase())) return true;
  if (["false", "0", "no", "off"].includes(text.toLowerCase())) return false;
  return undefined;
}

export function asPort(text: string): number | undefined {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port <= 65_535 ? port : undefined;
}

export function asPositive(text: string): number | undefined {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

export function oneOf<T extends string>(values: readonly T[]): (text: string) => T | undefined {
  return (text) => values.find((value) => value === text);
}

export function asList(text: string): string[] | undefined {
  const items = text.split(",").map((item) => item.trim());
  return items.every((item) => item !== "") ? items : undefined;
}

export function asHttpUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? text : undefined;
}
