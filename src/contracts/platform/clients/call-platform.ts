import { type CallBody, callService, type ServiceAddress, streamService } from "../../service-call.ts";

/** Request functions for the parts of the platform's client. */
export interface PlatformCalls {
  json<T>(method: string, path: string, call?: CallBody): Promise<T>;
  text(path: string): Promise<string>;
  /** For answers whose headers are needed. */
  raw(method: string, path: string, call?: CallBody): Promise<Response>;
  frames<T>(path: string, call: CallBody): AsyncGenerator<T, void>;
}

export function platformCalls(address: ServiceAddress): PlatformCalls {
  const raw: PlatformCalls["raw"] = (method, path, call) => callService(address, method, path, call);
  return {
    raw,
    async json<T>(method: string, path: string, call?: CallBody) {
      const response = await raw(method, path, call);
      const text = await response.text();
      return (text === "" ? undefined : JSON.parse(text)) as T;
    },
    text: async (path) => (await raw("GET", path, { accept: "*/*" })).text(),
    frames: <T>(path: string, call: CallBody) => streamService<T>(address, "POST", path, call),
  };
}
