import { InvalidArgumentError } from "commander";
import type { ReachedDaemon } from "../parts.ts";
import { usageError } from "../report-error.ts";

export type Client = ReachedDaemon["client"];

/** What is asked or filled: a collection as it is, or the one of a pipeline with that pipeline's settings. */
export interface Target {
  collection?: string;
  pipeline?: string;
}

/** Refuses a call that names none, or both where one would do nothing. */
export function requireTarget({ collection, pipeline }: Target): void {
  if (collection === undefined && pipeline === undefined) {
    throw usageError("Give --pipeline <name> or --collection <name>.");
  }
}

/** The collection that a target stands for. Throws what asking for the pipeline throws. */
export async function collectionOf(client: Client, { collection, pipeline }: Target): Promise<string> {
  if (collection !== undefined) return collection;
  return (await client.getPipeline(pipeline ?? "")).collection;
}

/** An option's whole number from 1 to `max`. */
export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    if (/^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };
}

/** An option's number from 0 to 1. */
export function part(text: string): number {
  const value = Number(text);
  if (/^[0-9.]+$/.test(text) && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("It must be a number from 0 to 1, such as 0.8.");
}

/** Gathers an option that may be given again and again. */
export function gather(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}

/** Collects the pages of a list. */
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
