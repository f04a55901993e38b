// Loaded by node before npm. npm needs no other program to resolve and unpack packages. Only a dependency from git would
// start one, and its own settings would then choose the program.
'use strict'

const main = () => {
  try {
    return require('fs').realpathSync(process.argv[1])
  } catch {
    return ''
  }
}

if (/[\\/]npm-cli\.js$/.test(main())) {
  const child = require('child_process')
  const refuse = (program, words) => {
    const line = [program, ...(Array.isArray(words) ? words : [])].join(' ')
    throw new Error(`pml refuses to start: ${line}`)
  }
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
    child[name] = refuse
  }
}
