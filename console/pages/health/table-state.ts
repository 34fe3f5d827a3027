/** What the three tables of the page share: they come with one answer. */
export interface TableState {
  readonly isLoading: boolean;
  readonly error?: unknown;
  readonly onRetry?: () => void;
}
