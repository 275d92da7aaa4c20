import type { ForwardedMedia } from "../../contracts/gateway/messages.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Logger } from "../../kit/log.ts";
import type { OutboxAccount } from "../outbox/message-sender.ts";
import type { FetchedFile, MediaSource } from "./media-source.ts";

/** Access to addresses that a delivery names; see `GuardedNetwork`. */
export interface FileNetwork {
  request(request: {
    url: string;
    method: string;
    headers: Readonly<Record<string, string>>;
    timeoutMs: number;
    bodyBytesMax: number;
    whenLonger: "refuse";
    redirectsMax: number;
    /** Origin of the operator's own configuration, which may be private. */
    trustedOrigin: string;
    signal: AbortSignal;
  }): Promise<{ status: number; headers: Headers; body: Uint8Array }>;
}

export interface ProviderMediaPorts {
  network: FileNetwork;
  /** Addresses of the providers' APIs, without a slash at the end. */
  baseUrls: { graph: string; bot: string };
  log: Logger;
}

/** Where a file is downloaded from. */
interface FilePlace {
  url: string;
  headers: Record<string, string>;
  /** Origin of the operator's own configuration, which may be private. */
  trustedOrigin: string;
}

const lookUpMs = 10_000;
const lookUpBytesMax = 64 * 1024;
const downloadMs = 30_000;
/** Hosts of Meta that need the account's token for a file. */
const metaHosts = /(?:^|\.)(?:fbsbx\.com|fbcdn\.net|facebook\.com|whatsapp\.net)$/;

/** Downloads files from WhatsApp by their id, from Telegram by `getFile`, and from Instagram by their address. */
export function createProviderMedia(ports: ProviderMediaPorts): MediaSource {
  return {
    async fetch(account, media, bytesMax, signal) {
      if (media.isTooLarge === true || media.kind === "link" || account.emulated || bytesMax <= 0)
        return undefined;
      try {
        const place = await placeOf(ports, account, media, signal);
        return place && (await download(ports, place, media, bytesMax, signal));
      } catch (thrown) {
        signal.throwIfAborted();
        const code = thrown instanceof AppError ? thrown.code : "internal";
        // An address may contain the bot's token, so it is not logged.
        ports.log.warn("media.not_fetched", { account: account.id, kind: media.kind, code });
        return undefined;
      }
    },
  };
}

function placeOf(
  ports: ProviderMediaPorts,
  account: OutboxAccount,
  media: ForwardedMedia,
  signal: AbortSignal,
): Promise<FilePlace | undefined> {
  if (account.channel === "phone_messenger") return placeAtWhatsApp(ports, account, media, signal);
  if (account.channel === "bot_messenger") return placeAtTelegram(ports, account, media, signal);
  return Promise.resolve(media.url === undefined ? undefined : publicPlace(ports, media.url));
}

/** A signed delivery names the address, but only the network guard decides whether it is called. */
const publicPlace = ({ baseUrls }: ProviderMediaPorts, url: string): FilePlace => ({
  url,
  headers: {},
  trustedOrigin: new URL(baseUrls.graph).origin,
});

async function placeAtWhatsApp(
  ports: ProviderMediaPorts,
  { credentials }: OutboxAccount,
  { id }: ForwardedMedia,
  signal: AbortSignal,
): Promise<FilePlace | undefined> {
  if (id === undefined) return undefined;
  const { graph } = ports.baseUrls;
  const trustedOrigin = new URL(graph).origin;
  const headers = { authorization: `Bearer ${credentials.access_token}` };
  const fileLocation = await lookUp(
    ports,
    { url: `${graph}/${encodeURIComponent(id)}`, headers, trustedOrigin },
    signal,
  );
  const url = URL.parse(textOf(fileLocation, "url") ?? "");
  if (url === null) return undefined;
  // The token goes to the provider's hosts only.
  const isMeta = url.origin === trustedOrigin || (url.protocol === "https:" && metaHosts.test(url.hostname));
  return { url: url.href, headers: isMeta ? headers : {}, trustedOrigin };
}

async function placeAtTelegram(
  ports: ProviderMediaPorts,
  { credentials }: OutboxAccount,
  { id }: ForwardedMedia,
  signal: AbortSignal,
): Promise<FilePlace | undefined> {
  if (id === undefined) return undefined;
  const { bot } = ports.baseUrls;
  const trustedOrigin = new URL(bot).origin;
  const token = credentials.bot_token;
  const url = `${bot}/bot${token}/getFile?file_id=${encodeURIComponent(id)}`;
  const fileLocation = await lookUp(ports, { url, headers: {}, trustedOrigin }, signal);
  const path = textOf(Reflect.get(fileLocation, "result"), "file_path");
  if (path === undefined || path.split("/").includes("..")) return undefined;
  const file = path.split("/").map(encodeURIComponent).join("/");
  return { url: `${bot}/file/bot${token}/${file}`, headers: {}, trustedOrigin };
}

async function lookUp(
  { network }: ProviderMediaPorts,
  place: FilePlace,
  signal: AbortSignal,
): Promise<object> {
  const { status, body } = await network.request({
    ...place,
    method: "GET",
    timeoutMs: lookUpMs,
    bodyBytesMax: lookUpBytesMax,
    whenLonger: "refuse",
    redirectsMax: 0,
    signal,
  });
  if (status !== 200)
    throw new AppError("upstream_failed", `media_${status}`, "The provider has no such file.");
  const parsed: unknown = JSON.parse(new TextDecoder().decode(body));
  return typeof parsed === "object" && parsed !== null ? parsed : {};
}

async function download(
  { network }: ProviderMediaPorts,
  place: FilePlace,
  { mimeType }: ForwardedMedia,
  bytesMax: number,
  signal: AbortSignal,
): Promise<FetchedFile | undefined> {
  const { status, headers, body } = await network.request({
    ...place,
    method: "GET",
    timeoutMs: downloadMs,
    bodyBytesMax: bytesMax,
    whenLonger: "refuse",
    redirectsMax: 3,
    signal,
  });
  if (status !== 200 || body.length === 0) return undefined;
  return { bytes: body, mimeType: mimeType ?? headers.get("content-type") ?? "application/octet-stream" };
}

function textOf(value: unknown, name: string): string | undefined {
  const property: unknown =
    typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  return typeof property === "string" && property !== "" ? property : undefined;
}
