import { callTexts } from "../texts/shell.ts";
/** Called while a request's body is sent, with the part of it that is sent: 0 to 1. */
export type Progress = (share: number) => void;

/** Sends a request as `fetch` does, and says how much of its body is sent, which `fetch` does not. */
export async function sendWithProgress(request: Request, progress: Progress): Promise<Response> {
  const body = await request.arrayBuffer();
  const { signal } = request;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open(request.method, request.url);
    call.responseType = "arraybuffer";
    request.headers.forEach((value, name) => {
      call.setRequestHeader(name, value);
    });
    call.upload.onprogress = ({ loaded, total }) => progress(total === 0 ? 1 : loaded / total);
    call.onload = () =>
      resolve(new Response(call.response as ArrayBuffer, { status: call.status, headers: headersOf(call) }));
    call.onerror = () => reject(new TypeError(callTexts.failed));
    call.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => call.abort(), { once: true });
    call.send(body);
  });
}

function headersOf(call: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of call.getAllResponseHeaders().split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}
