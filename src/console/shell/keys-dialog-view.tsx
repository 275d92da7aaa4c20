import { Kbd, Table } from "@mantine/core";
import { Fragment } from "react";
import { Dialog } from "../parts/dialogs/dialog.tsx";
import { keyTexts as texts } from "../texts/shell.ts";

interface KeysDialogProps {
  opened: boolean;
  close: () => void;
}

/** Lists the keyboard shortcuts. */
export default function KeysDialogView({ opened, close }: KeysDialogProps) {
  return (
    <Dialog opened={opened} onClose={close} title={texts.title}>
      <Table aria-label={texts.title}>
        <Table.Tbody>
          {texts.rows.map(({ keys, action }) => (
            <Table.Tr key={action}>
              <Table.Th scope="row" fw={400}>
                {action}
              </Table.Th>
              <Table.Td ta="end">
                {keys.map((key, at) => (
                  <Fragment key={key}>
                    {at > 0 && <span className="ar-soft"> {texts.or} </span>}
                    <Kbd>{key}</Kbd>
                  </Fragment>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
