/** What the frame needs to know of a screen. */
import type { Size } from './layout.ts';
import type { Press } from './press.ts';
import type { Source } from './refresh.ts';
import type { PageId, ScreenId } from './screen-table.ts';

/** A screen, or a page over one. */
export interface Screen {
  readonly id: ScreenId | PageId;
  /** What is asked for while the screen is in view. */
  readonly sources: readonly Source[];
  /** What its keys do, by the actions of the table. */
  readonly actions: Readonly<Record<string, () => void>>;
  /** The line under the tabs. */
  head(): string;
  /** Lines of at most the size. */
  body(size: Size): readonly string[];
  /** Takes a key before the table does: while a form is open. */
  take?(press: Press): boolean;
  /** Words of the bottom line while a form is open. */
  formKeys?(): readonly string[] | undefined;
  /** Something that is not saved would be lost. */
  readonly isDirty?: boolean;
  shown?(): void;
  hidden?(): void;
  /** Of a page: told when it is gone for good. */
  closed?(): void;
}

/** A screen with a tab of its own. */
export interface TabScreen extends Screen {
  readonly id: ScreenId;
}
