import { useQuery } from "@tanstack/react-query";
import { type TranslatorClient, translatorClient } from "../../contracts/translator/client.ts";
import { useServer } from "../api/use-server.tsx";

/** Returns the translator's client. */
export const useTranslator = (): TranslatorClient => useServer().client("translator", translatorClient);

/** Reads the accounts of runtime.yaml. */
export function useAccounts() {
  const translator = useTranslator();
  return useQuery({
    queryKey: ["translator", "accounts"],
    queryFn: () => translator.listAccounts(),
  });
}
