import { readFile, writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { Command } from "commander";
import { AppError } from "../../kit/app-error.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type GatewayOptions, gatewayCommand, withGateway } from "./with-gateway.ts";

interface UploadOptions extends GatewayOptions {
  tenant: string;
}

interface GetOptions extends GatewayOptions {
  out: string;
}

export const filesCommand = (perform: Perform) =>
  new Command("files")
    .description("files of messages")
    .addCommand(
      gatewayCommand("upload", "keep a file of a tenant for 30 days, to be sent by its id")
        .argument("<path>", "the file, at most 25 MiB")
        .requiredOption("--tenant <id>", "the tenant")
        .action((path: string, options: UploadOptions, command: Command) =>
          perform(command, (call) => upload(call, path, options)),
        ),
    )
    .addCommand(
      gatewayCommand("get", "save a file that a customer or the desk sent")
        .argument("<id>", "the file's id, as `argosy gateway conversations messages` shows it")
        .requiredOption("--out <path>", "where to save it; an existing file stays")
        .action((id: string, options: GetOptions, command: Command) =>
          perform(command, (call) => save(call, id, options)),
        ),
    );

async function upload(call: CommandCall, path: string, options: UploadOptions): Promise<ExitCode> {
  const { screen, shell } = call;
  const bytes = await readFile(resolve(shell.folder, path)).catch((cause) => {
    throw new AppError("invalid", "file_unreadable", `${path} can't be read.`, { cause });
  });
  const file = await withGateway(call, options, (client) =>
    client.uploadMedia({ bytes: Uint8Array.from(bytes), filename: basename(path), tenantId: options.tenant }),
  );
  if (screen.json) screen.document(file);
  else
    screen.say(`Kept ${file.mime_type} as ${file.id}. \`argosy gateway send --file ${file.id}\` sends it.`);
  return exitCodes.ok;
}

async function save(call: CommandCall, id: string, { out, ...options }: GetOptions): Promise<ExitCode> {
  const { screen, shell } = call;
  const bytes = await withGateway(call, options, async (client) => (await client.getMedia(id)).bytes());
  await writeFile(resolve(shell.folder, out), bytes, { flag: "wx" }).catch((cause) => {
    throw new AppError("conflict", "file_not_written", `${out} can't be written, or exists.`, { cause });
  });
  if (screen.json) screen.document({ id, path: out, bytes: bytes.length });
  else screen.say(`Saved ${bytes.length} bytes to ${out}.`);
  return exitCodes.ok;
}
