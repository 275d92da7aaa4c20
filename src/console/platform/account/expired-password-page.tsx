import { Button, Paper, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { useSession } from "../../session/session.tsx";
import { useSubmit } from "../../session/use-submit.ts";
import { accountTexts as texts } from "../../texts/platform/account.ts";
import { usePlatform } from "../use-platform.ts";
import { arePasswordsTyped, PasswordFields } from "./password-fields.tsx";

/** In place of every page of the platform until the person has changed a password that an operator set. */
export default function ExpiredPasswordPage() {
  const platform = usePlatform();
  const queries = useQueryClient();
  const { reread } = useSession();
  const [typed, type] = useState({ current: "", next: "" });
  const { failure, isBusy, submit } = useSubmit(async () => {
    await platform.changePassword({ current: typed.current, new: typed.next });
    await reread();
    await queries.resetQueries({ queryKey: ["platform"] });
  });
  return (
    <>
      <PageHeader title={texts.expiredTitle} lead={texts.expiredText} />
      <Paper withBorder p="lg" maw={420}>
        <form onSubmit={submit}>
          <Stack>
            <PasswordFields value={typed} change={type} />
            {failure !== undefined && <FailureView thrown={failure} />}
            <Button type="submit" loading={isBusy} disabled={!arePasswordsTyped(typed)}>
              {texts.expiredAction}
            </Button>
          </Stack>
        </form>
      </Paper>
    </>
  );
}
