// Colour only where a person looks: styleText leaves text plain when the stream is no terminal or NO_COLOR is set.

import { styleText } from 'node:util'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export const paint = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string => styleText(style, text, { stream })
