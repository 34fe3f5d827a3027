/** Saving from the settings page: what is sent, and what is said afterwards (console.md 6.22). */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../daemon/contract/client.ts';
import { type ListedOption, type OptionKey, options as optionEndpoints } from '../../../daemon/contract/options.ts';
import { status as statusEndpoints } from '../../../daemon/contract/status.ts';
import { callsFor } from '../../api/client.ts';
import { needsNoWord, requestIdOf, useFailures } from '../../api/failures.ts';
import { toast } from '../../components/toast.ts';
import { loadLate } from '../../session/late-code.ts';
import { statusLoaded } from '../../session/status.ts';
import { changesAmong, isSecret, type OptionRows, rowsByKey } from './option-draft.ts';
import { type OptionChange, outcomeOf, planSave, runSave, type SaveReport } from './save-plan.ts';
import { idleMistakes, ownProblemOf, placeOf } from './sections.ts';
import { useProblem, useSettings } from './settings-context.tsx';
import { useLeadTo } from './use-lead-to.ts';
import { useOidcDiscovery } from './use-oidc-discovery.ts';

export const optionCalls = callsFor(optionEndpoints);
const statusCalls = callsFor(statusEndpoints);

export const optionsQuery = { queryKey: ['options'] } as const;

/** The listed rows as they are after a save, until they are read anew. */
function withSaved(rows: readonly ListedOption[], changes: readonly OptionChange[]): ListedOption[] {
  const values = new Map<string, string | null>(changes.map(({ key, value }) => [key, value]));
  return rows.map((row) => {
    const value = values.get(row.key);
    if (value === undefined) return row;
    if (row.set !== undefined) return { ...row, set: value !== null };
    return { ...row, value: value ?? row.default };
  });
}

/** True when the changes would leave two modes on that exclude each other. */
function areBothOn(changes: readonly OptionChange[], rows: OptionRows): boolean {
  const modes: readonly OptionKey[] = ['DemoSiteEnabled', 'SelfUseModeEnabled'];
  const changed = new Map(changes.map(({ key, value }) => [key, value]));
  return (
    modes.some((key) => changed.has(key)) && modes.every((key) => (changed.get(key) ?? rows.get(key)?.value) === 'true')
  );
}

/** True when payment would be saved while the site has no address that its provider could call. */
function lacksServerAddress(changes: readonly OptionChange[], rows: OptionRows): boolean {
  if (!changes.some(({ key }) => placeOf(key)?.section.id === 'payment')) return false;
  const typed = changes.find(({ key }) => key === 'ServerAddress');
  return (typed ? (typed.value ?? '') : rows.get('ServerAddress')?.value) === '';
}

/** The daemon's own words on a value that it refused; undefined for every other failure. */
function refusalOf(error: unknown): string | undefined {
  const isRefusal = error instanceof ApiError && (error.code.startsWith('option_') || error.code === 'forbidden_role');
  return isRefusal ? error.message : undefined;
}

export interface SaveTexts {
  /** In place of "saved" and "save failed", where a screen has its own words. */
  readonly saved?: string;
  readonly failed?: string;
}

export interface SaveOptions {
  /** Saves the drafts among the keys; undefined when nothing was sent. */
  readonly saveDrafts: (keys: readonly OptionKey[], texts?: SaveTexts) => Promise<SaveReport | undefined>;
  /**
   * Sends changes that were never drafts: a switch that is saved at once, an undo. Of those that were `seen`, what
   * somebody else changes in between is not saved over.
   */
  readonly send: (changes: readonly OptionChange[], texts?: SaveTexts, seen?: OptionRows) => Promise<SaveReport>;
}

export function useSaveOptions(): SaveOptions {
  const { rows, board, isRoot } = useSettings();
  const { t } = useTranslation(['settings', 'frame']);
  const problem = useProblem();
  const failure = useFailures();
  const discover = useOidcDiscovery();
  const leadTo = useLeadTo();
  const queryClient = useQueryClient();

  const send = useCallback(
    async (changes: readonly OptionChange[], texts: SaveTexts = {}, seen?: OptionRows): Promise<SaveReport> => {
      const keys = changes.map(({ key }) => key);
      const warnings: string[] = [];
      board.startSaving(keys);
      const report = await runSave(planSave(changes), async ({ key, value }) => {
        const expected = isSecret(key) ? undefined : seen?.get(key)?.value;
        const { message } = await optionCalls.set({ key, value, ...(expected === undefined ? {} : { expected }) });
        if (message !== '') warnings.push(message);
      });
      const saved = changes.filter(({ key }) => report.saved.includes(key));
      queryClient.setQueryData<ListedOption[]>(optionsQuery.queryKey, (list) => list && withSaved(list, saved));
      board.forgetSaved(saved);
      board.endSaving(keys);
      for (const [key, error] of report.refused) board.complain(key, refusalOf(error) ?? failure(error));
      const errors = [...report.refused.values()];
      const requestId = errors.map(requestIdOf).find((id) => id !== undefined);
      const outcome = outcomeOf(report);
      if (outcome === 'partial') toast.error(t('frame:error.savePartly'), { requestId });
      else if (outcome === 'failed') {
        if (!errors.every(needsNoWord)) toast.error(texts.failed ?? t('frame:error.save'), { requestId });
      } else if (warnings.length > 0) toast.info(warnings.join('\n'));
      if (saved.length > 0) {
        void queryClient.invalidateQueries(optionsQuery);
        void statusCalls.get().then(statusLoaded, () => undefined);
      }
      return report;
    },
    [board, failure, queryClient, t],
  );

  /** The options as they are now; undefined where what somebody else saved meanwhile is not to be saved over. */
  const readNewest = useCallback(
    async (changes: readonly OptionChange[]): Promise<OptionRows | undefined> => {
      const keys = changes.map(({ key }) => key);
      board.startSaving(keys);
      try {
        const list = await queryClient.fetchQuery({ ...optionsQuery, queryFn: () => optionCalls.list(), staleTime: 0 });
        const newest = rowsByKey(list);
        const overtaken = changes.flatMap((change) => {
          const [base, row] = [board.bases.get(change.key), newest.get(change.key)];
          return !row || base === undefined || [base, change.value].includes(row.value) ? [] : [{ change, row }];
        });
        if (overtaken.length === 0) return newest;
        const { mayOverwrite } = await loadLate(() => import('./overtaken.tsx'));
        return (await mayOverwrite(board, overtaken)) ? newest : undefined;
      } catch {
        // That the daemon is out of reach the saving itself says, by the field.
        return board.rows;
      } finally {
        board.endSaving(keys);
      }
    },
    [board, queryClient],
  );

  const saveDrafts = useCallback(
    async (keys: readonly OptionKey[], texts: SaveTexts = {}): Promise<SaveReport | undefined> => {
      // A field that is disabled shows again what is in force: nobody could mend it where it stands.
      board.forget(idleMistakes(keys, rows, board.drafts.get()));
      const drafted = () =>
        changesAmong(keys, rows, board.drafts.get()).filter(({ key }) => isRoot || rows.get(key)?.class !== 'root');
      const typed = drafted();
      // Pressed once more while it is sent, as Ctrl+S may be: how that went is said by the first.
      if (typed.some(({ key }) => board.saving.get().has(key))) return undefined;
      if (typed.length === 0) {
        toast.info(t('frame:error.unchanged'));
        return undefined;
      }
      const problems = typed.flatMap(({ key, value }) => {
        const text = problem(key, value);
        return text === undefined ? [] : [{ key, text, isNamed: ownProblemOf(key, value) !== undefined }];
      });
      if (areBothOn(typed, rows)) problems.push({ key: 'SelfUseModeEnabled', text: t('exclusive'), isNamed: false });
      if (lacksServerAddress(typed, rows)) {
        problems.push({ key: 'ServerAddress', text: t('payment.addressFirst'), isNamed: true });
      }
      for (const { key, text } of problems) board.complain(key, text);
      const [problemOnly, another] = problems;
      if (problemOnly) {
        toast.error(problemOnly.isNamed && !another ? problemOnly.text : t('frame:error.input'));
        leadTo(problemOnly.key);
        return undefined;
      }
      await discover(typed);
      const newest = await readNewest(drafted());
      // By now without those that gave way to what others saved.
      const changes = drafted();
      if (!newest || changes.length === 0) return undefined;
      const before = changes.map(({ key }): OptionChange => ({ key, value: newest.get(key)?.value ?? null }));
      const report = await send(changes, texts, newest);
      if (outcomeOf(report) === 'saved') {
        const isUndoable = !changes.some(({ key }) => isSecret(key));
        const undo = async () => {
          await send(before);
        };
        toast.success(texts.saved ?? t('frame:notice.saved'), isUndoable ? { undo } : {});
      }
      return report;
    },
    [board, discover, isRoot, leadTo, problem, readNewest, rows, send, t],
  );

  return { saveDrafts, send };
}
