import { GatewayError } from "../../contracts/gateway/errors.ts";
import type { ErrorForm } from "../../http/errors/error-answer.ts";

/** `{error: message}`: all that the contract has. Advice follows the message in the same text. */
export const messageOnly: ErrorForm = {
  schema: GatewayError,
  render: ({ message, details: { hint } }) => ({
    error: hint === undefined ? message : `${message} ${hint}`,
  }),
};
