/**
 * A form over the kit's own (console.md 7.3), uncontrolled: inputs take `key={form.key('name')}` and
 * `{...form.getInputProps('name')}`. Checked by a zod schema; only changed members leave; refusals of the server go to
 * the field they are about.
 *
 *     const form = useContractForm({ schema, initial });
 *     <FormDrawer isDirty={form.isChanged} isSaving={form.isSaving} error={form.failure}
 *       onSubmit={form.submit(async (values, changed) => { await tokens.update({ id, ...changed }); onClose(); })} …>
 *
 * Mount it anew (`key={row.id}`) for another row.
 */
import { useForm } from '@mantine/form';
import type { TFunction } from 'i18next';
import { type SyntheticEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod/mini';
import { ApiError } from '../../daemon/contract/client.ts';
import { failureText, fieldOfRefusal, isGivenUp, requestIdOf } from '../api/failures.ts';
import { isTakenAway, userStore } from '../session/session.ts';
import { keepDraft, takeDraft } from './form-draft.ts';
import { changedMembers, errorsOf } from './form-values.ts';
import { toast } from './toast.ts';

export interface ContractFormOptions<Values> {
  /** Checks the values; its own messages are shown as they are, so that a page may build it with its texts. */
  readonly schema?: z.core.$ZodType;
  readonly initial: Values;
  /** Fields of refusals that name none, or another one than the form's: `{ username_taken: 'name' }`. */
  readonly refusalFields?: Readonly<Record<string, string>>;
  /** By code, where the server's own text says less, or of more than this form: `{ login_failed: t('…') }`. */
  readonly refusalTexts?: Readonly<Record<string, string>>;
  /**
   * Name of the form among those of its page; without it nothing is kept when the session ends. A form whose row is yet
   * to come gets its name with the row, which would overwrite what is brought back.
   */
  readonly draft?: string;
  /** Members that no draft may hold. */
  readonly secrets?: readonly string[];
  /** Submitting an unchanged form only says that nothing was changed. */
  readonly needsChange?: boolean;
}

/** Why the whole was refused. */
export interface FormFailure {
  readonly text: string;
  readonly requestId: string | undefined;
}

export type Save<Values> = (values: Values, changed: Partial<Values>) => Promise<void> | void;

export type ContractForm<Values extends Record<string, unknown>> = KitForm<Values> & {
  /** Some value differs from what was loaded. */
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  readonly failure: FormFailure | undefined;
  /** The members that differ. */
  readonly changed: () => Partial<Values>;
  /** A handler that checks, saves once at a time, and shows refusals. */
  readonly submit: (save: Save<Values>) => (event?: SyntheticEvent) => void;
  /** The values as they are now count as loaded. */
  readonly settle: () => void;
};

/** The kit names this type in a file that its own index does not reach from a module. */
type KitForm<Values extends Record<string, unknown>> = ReturnType<typeof useForm<Values>>;

export function useContractForm<Values extends Record<string, unknown>>(
  options: ContractFormOptions<Values>,
): ContractForm<Values> {
  const { t } = useTranslation(['components', 'frame']);
  const [isChanged, setChanged] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<FormFailure>();
  const loaded = useRef(options.initial);
  const isBusy = useRef(false);

  const form = useForm<Values>({
    mode: 'uncontrolled',
    initialValues: options.initial,
    ...(options.schema ? { validate: checkOf(options.schema, t) } : {}),
    onValuesChange: (values) => setChanged(Object.keys(changedMembers(loaded.current, values)).length > 0),
    // A field is checked when it is left, unless nothing was entered: passing by is no mistake.
    enhanceGetInputProps: ({ inputProps: { onBlur }, field, form: own }) => ({
      // Taken out above: what is returned here is written over the same object.
      onBlur: (event: unknown) => {
        onBlur?.(event);
        if (own.isDirty(field)) own.validateField(field);
      },
    }),
  });

  useDraft(form, options, loaded);

  const changed = useCallback(() => changedMembers(loaded.current, form.getValues()), [form.getValues]);
  const settle = () => {
    loaded.current = form.getValues();
    form.setInitialValues(loaded.current);
    form.resetDirty(loaded.current);
    setChanged(false);
  };

  const refuse = (error: unknown) => {
    if (isGivenUp(error) || (error instanceof ApiError && error.status === 401)) return;
    const field = fieldOfRefusal(error, Object.keys(loaded.current), options.refusalFields);
    if (field !== undefined && error instanceof ApiError) {
      form.setErrors({ [field]: options.refusalTexts?.[error.code] ?? error.message });
      focusFirst(form, [field]);
      return;
    }
    const isUnheard = error instanceof ApiError && error.code === 'network_error';
    setFailure({
      text: isUnheard ? t('frame:error.networkRetry') : failureText(error, t),
      requestId: requestIdOf(error),
    });
  };

  const submit = (save: Save<Values>) => (event?: SyntheticEvent) => {
    event?.preventDefault();
    // A submit inside a form that lies in this one by way of a portal is not meant for it.
    event?.stopPropagation();
    if (isBusy.current) return;
    setFailure(undefined);
    const errors = options.schema ? errorsOf(options.schema, form.getValues(), t) : {};
    form.setErrors(errors);
    if (Object.keys(errors).length > 0) {
      if (!focusFirst(form, Object.keys(errors))) setFailure({ text: t('frame:error.input'), requestId: undefined });
      return;
    }
    if (options.needsChange && Object.keys(changed()).length === 0) {
      toast.info(t('frame:error.unchanged'));
      return;
    }
    isBusy.current = true;
    setSaving(true);
    Promise.resolve()
      .then(() => save(form.getValues(), changed()))
      .catch(refuse)
      .finally(() => {
        isBusy.current = false;
        setSaving(false);
      });
  };

  return { ...form, isChanged, isSaving, failure, changed, submit, settle };
}

function checkOf(schema: z.core.$ZodType, t: TFunction<'components'>) {
  return (values: unknown) => errorsOf(schema, values, t);
}

/** Focuses the first field, in reading order, of those named; false when none is on the page. */
function focusFirst<Values extends Record<string, unknown>>(form: KitForm<Values>, paths: readonly string[]): boolean {
  const nodes = paths.flatMap((path) => form.getInputNode<HTMLElement, never>(asPath(path)) ?? []);
  const [first] = nodes.sort((one, other) =>
    one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  );
  if (!first) return false;
  // Nothing is seen of a fault in a part that is closed, and nothing there takes the focus.
  first.closest('details')?.setAttribute('open', '');
  const focusable = first.matches('input,textarea,select,button')
    ? first
    : first.querySelector<HTMLElement>('input,textarea,select,button,[tabindex="0"]');
  focusable?.focus();
  return focusable !== null;
}

// The kit's type of a path lists those of the values; one that came out of the schema or the server is any text.
function asPath(path: string): never {
  return path as never;
}

/** Keeps the values when the session ends under the form, and brings them back once. */
function useDraft<Values extends Record<string, unknown>>(
  form: KitForm<Values>,
  { draft, secrets }: ContractFormOptions<Values>,
  loaded: { readonly current: Values },
): void {
  const { t } = useTranslation(['components', 'frame']);
  const place = useMemo(() => {
    const user = userStore.get()?.id;
    return draft === undefined || user === undefined
      ? undefined
      : { path: window.location.pathname, user, form: draft };
  }, [draft]);
  const latest = useRef({ form, secrets, t });
  latest.current = { form, secrets, t };
  useEffect(() => {
    if (!place) return undefined;
    const kept = takeDraft(place);
    if (kept) {
      const { form: own } = latest.current;
      const known = Object.entries(kept).filter(([name]) => name in loaded.current);
      // They were typed into this form.
      own.setValues(Object.fromEntries(known) as Partial<Values>);
      toast.info(latest.current.t('frame:state.draftRestored'));
    }
    return () => {
      const { form: own, secrets: hidden } = latest.current;
      // What was not touched may be another by the return: a balance, brought back, would undo what was spent since.
      const typed = changedMembers(loaded.current, own.getValues());
      if (isTakenAway() && Object.keys(typed).length > 0) keepDraft(place, typed, hidden ?? []);
    };
  }, [place, loaded]);
}
