/** What the frame needs to know of a screen. */
import type { Form } from './form.ts';
import type { Size } from './layout.ts';
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
  /** What is open on it, takes its keys and stands in its place. */
  readonly form?: Form | undefined;
  /** Something runs whose end would change what is shown. */
  readonly isBusy?: boolean;
  shown?(): void;
  hidden?(): void;
  /** Of a page: told when it is gone for good. */
  closed?(): void;
}

/** A screen with a tab of its own. */
export interface TabScreen extends Screen {
  readonly id: ScreenId;
}
