/** What the control of an option is given. */
import type { FieldEntry } from './section-entry.ts';
import type { OptionHandle } from './settings-context.tsx';

export interface ControlProps {
  readonly field: FieldEntry;
  readonly option: OptionHandle;
  readonly label: string;
  readonly help: string | undefined;
  /** The switch that governs it is off. */
  readonly isDisabled: boolean;
  readonly onSwitch?: (value: string) => void;
}
