import { InvalidArgumentError } from "commander";
import type { ReachedDaemon } from "../parts.ts";
import { usageError } from "../report-error.ts";

export type Client = ReachedDaemon["client"];

/** The target of a query or an ingest: a collection itself, or a pipeline's collection with that pipeline's settings. */
export interface Target {
  collection?: string;
  pipeline?: string;
}

/** Refuses a call that names neither. */
export function requireTarget({ collection, pipeline }: Target): void {
  if (collection === undefined && pipeline === undefined) {
    throw usageError("Give --pipeline <name> or --collection <name>.");
  }
}

/** Returns the collection of a target. Throws the errors of the pipeline's lookup. */
export async function collectionOf(client: Client, { collection, pipeline }: Target): Promise<string> {
  if (collection !== undefined) return collection;
  return (await client.getPipeline(pipeline ?? "")).collection;
}

/** Returns a parser for an option's whole number from 1 to `max`. */
export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    if (/^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };
}

/** Parses an option's number from 0 to 1. */
export function part(text: string): number {
  const value = Number(text);
  if (/^[0-9.]+$/.test(text) && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("It must be a number from 0 to 1, such as 0.8.");
}

/** Collects the values of a repeatable option. */
export function gather(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}

/** Collects all pages of a list. */
export async function allPages<T>(
  page: (cursor: string | undefined) => Promise<{ items: readonly T[]; next?: string | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await page(cursor);
    all.push(...items);
    cursor = next;
  } while (cursor !== undefined);
  return all;
}

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
