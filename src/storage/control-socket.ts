import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DataFolder } from "./data-folder.ts";

/** Where the command line reaches the server that owns the data folder. */
export const controlSocketPath = (folder: string): string => join(folder, "control.sock");

/** The path to listen on, free: with the folder's lock held, a socket found there is a dead process's. */
export function freeControlSocket({ path }: DataFolder): string {
  const socket = controlSocketPath(path);
  rmSync(socket, { force: true });
  return socket;
}

/** Leaves the listening socket to this user alone; the folder's own mode covers the moment before. */
export const protectControlSocket = ({ path }: DataFolder): void => chmodSync(controlSocketPath(path), 0o600);
