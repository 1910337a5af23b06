import type { CompletedFlag, CompletionTable } from "./completion-table.ts";

/** A script for PowerShell, 5.1 or later. */
export function pwshCompletions({ commands, valued }: CompletionTable): string {
  const flags = commands.map(({ name, flags: own }) => {
    const entries = own.flatMap(described).join("; ");
    return `    ${quoted(name)} = [ordered]@{ ${entries} }\n`;
  });
  const values = valued.flatMap(({ name, short, value }) => {
    const words = `@(${value.words.map(quoted).join(", ")})`;
    return [`--${name}`, ...(short === null ? [] : [`-${short}`])].map(
      (flag) => `  $values[${quoted(flag)}] = ${words}\n`,
    );
  });
  const names = commands.map(({ name, help }) => `    ${quoted(name)} = ${quoted(help)}\n`);
  const rest = commands.flatMap(({ name, words }) =>
    words === null ? [] : [`    ${quoted(name)} = @(${words.map(quoted).join(", ")})\n`],
  );
  return `# Completions of tc-compile for PowerShell. In $PROFILE:
#   tc-compile completions pwsh | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName tc-compile -ScriptBlock {
  param($word, $ast, $position)
  $commands = [ordered]@{
${names.join("")}  }
  $flags = @{
${flags.join("")}  }
  $values = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
${values.join("")}  $arguments = @{
${rest.join("")}  }
  $before = @($ast.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
  $command = $before | Where-Object { $commands.Contains($_) } | Select-Object -First 1
  $offer = {
    param($text, $help)
    $comma = $word.LastIndexOf(',') + 1
    $head = $word.Substring(0, $comma)
    if ($text.StartsWith($word.Substring($comma), [StringComparison]::Ordinal)) {
      [System.Management.Automation.CompletionResult]::new($head + $text, $text, 'ParameterValue', $help)
    }
  }
  if ($before.Count -gt 0 -and $values.ContainsKey($before[-1])) {
    $values[$before[-1]] | ForEach-Object { & $offer $_ $_ }
  } elseif ($word.StartsWith('-')) {
    $own = $flags[$(if ($command) { $command } else { 'build' })]
    $own.Keys | ForEach-Object { & $offer $_ $own[$_] }
  } elseif ($command) {
    $arguments[$command] | ForEach-Object { & $offer $_ $_ }
  } else {
    $commands.Keys | ForEach-Object { & $offer $_ $commands[$_] }
  }
}
`;
}

function described({ name, help }: CompletedFlag): readonly string[] {
  return [`${quoted(`--${name}`)} = ${quoted(help)}`];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
