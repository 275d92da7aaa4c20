/** Texts of the dialog about a save that would overwrite something: another change was faster, or the name is in use. */
export const conflictTexts = {
  title: "Changed by someone else",
  lead: "Someone saved another version after you began to edit. Nothing was overwritten, and your text is still here.",
  takenTitle: "This name is already in use",
  takenLead:
    "Something else is stored under this name. Nothing was overwritten, and your text is still here. To keep both, go on editing and change the name.",
  legend: "Added lines are yours, removed lines are theirs.",
  same: "Both versions have the same content.",
  diff: "Their version compared with yours",
  keepMine: "Save mine over theirs",
  takeTheirs: "Discard mine, use theirs",
  goOn: "Go on editing",
  copyMine: "Copy mine",
  again: "It changed once more. The comparison below shows the newest version.",
  gone: "Someone deleted it while you were editing. Your text is still here: copy it, or go on editing.",
  goneSave: "Someone deleted it while you were editing. Saving creates it again.",
  recreate: "Create it again",
};
