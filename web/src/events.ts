/** Values of events. */

export const valueOf = (event: Event): string => (event.target as HTMLInputElement | HTMLSelectElement).value;

export const isChecked = (event: Event): boolean => (event.target as HTMLInputElement).checked;

export const hasModifier = (event: KeyboardEvent): boolean => event.ctrlKey || event.metaKey || event.altKey;

/** Whether a key sends the text of a field. */
export const isSubmission = (event: KeyboardEvent): boolean =>
  event.key === "Enter" && (event.ctrlKey || event.metaKey);
