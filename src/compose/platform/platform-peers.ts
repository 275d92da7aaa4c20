import type { RuntimeClient } from "../../contracts/runtime/client.ts";
import { runtimeClient } from "../../contracts/runtime/http-client.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import type { MessageSender } from "../../services/platform/messages/message-sender.ts";
import type { Foundation } from "../foundation.ts";
import { createMessageSender } from "./message-sender.ts";

type Surroundings = Pick<Foundation, "config" | "peers">;

/** Returns the runtime for the platform's agents: a configured daemon on another machine, or else the one of this process. */
export function runtimeOf({ config: { platform, runtimeToken }, peers }: Surroundings): RuntimeClient {
  const { runtimeUrl: url } = platform;
  const address = peers.find(
    "daemon",
    url === undefined ? undefined : { url, headers: { authorization: `Bearer ${runtimeToken}` } },
  );
  if (address !== undefined) return runtimeClient(address);
  throw new AppError("invalid", "runtime_needed", "The platform has no runtime for its agents.", {
    details: {
      hint: "Start the daemon beside it, or name one elsewhere by spec.platform.runtime_url and PLATFORM_RUNTIME_TOKEN.",
    },
  });
}

/** Returns the sender of tenants' messages; undefined without a gateway. */
export function messagesOf({ config, peers }: Surroundings, clock: Clock): MessageSender | undefined {
  const { gateway } = config.platform;
  const address = peers.find(
    "gateway",
    gateway && { url: gateway.url, headers: { "x-gateway-sender-key": gateway.senderKey } },
  );
  return address && createMessageSender(address, clock);
}
