/** A text of JSON that can be edited as fields, too: the switch between both, and the one that is chosen. */
import { SegmentedControl } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import type { ReactNode } from 'react';
import { JsonEditor } from './json-editor.tsx';
import classes from './switched-editor.module.css';

export interface SwitchedEditorProps {
  readonly label: string;
  /** What the switch is called. */
  readonly viewLabel: string;
  /** What the fields are called in the switch. */
  readonly fieldsLabel: string;
  readonly isJson: boolean;
  readonly onSwitch: (isJson: boolean) => void;
  /** The text cannot be told as fields. */
  readonly isJsonAlone: boolean;
  readonly template: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  /** Member of the form, by which a fault finds the field. */
  readonly path: string;
  /** The fields. */
  readonly children: ReactNode;
}

export function SwitchedEditor(props: SwitchedEditorProps) {
  const { label, viewLabel, fieldsLabel, isJson, onSwitch, isJsonAlone, description, error, path, children } = props;
  return (
    <div className={classes.switched}>
      <div className={classes.switch}>
        <SegmentedControl
          size="xs"
          aria-label={viewLabel}
          value={isJson ? 'json' : 'fields'}
          onChange={(next) => onSwitch(next === 'json')}
          data={[
            { value: 'fields', label: fieldsLabel, disabled: isJsonAlone },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </div>
      {isJson ? (
        <JsonEditor
          label={label}
          template={props.template}
          value={props.value}
          onChange={props.onChange}
          description={description}
          error={error}
          data-path={path}
        />
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset brings borders of its own; the label is read out all the same
        <div role="group" aria-label={label} className={classes.fields} data-path={path}>
          <span className={classes.label}>{label}</span>
          {description && <span className={classes.description}>{description}</span>}
          {error && (
            <p className={classes.error} role="alert">
              {error}
            </p>
          )}
          {children}
        </div>
      )}
    </div>
  );
}
