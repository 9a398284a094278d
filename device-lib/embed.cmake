# Makes a C header by which bitcode files probe_<lanes>_<gfx>.bc lie in what includes it. -DOUT=header -DIN=a;b;c. The assembler
# reads the files: written out as numbers, they took the compiler as long as all of the pass.
set(text "/* Generated from device-lib/. */\nstruct ls_bitcode {\n    unsigned lanes, gfx;\n    const unsigned char *bytes;\n    unsigned long size;\n};\n")
set(table "static const struct ls_bitcode ls_bitcodes[] = {\n")
foreach(file IN LISTS IN)
  file(SIZE ${file} size)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "probe_([0-9]+)_([0-9]+)" "\\1, \\2" key ${name})
  string(APPEND text "__asm__(\".pushsection .rodata\\n\\t.balign 16\\nls_${name}:\\n\\t.incbin \\\"${file}\\\"\\n\\t.popsection\");\n"
    "extern const unsigned char ls_${name}[] __attribute__((visibility(\"hidden\")));\n")
  string(APPEND table "    {${key}, ls_${name}, ${size}},\n")
endforeach()
file(WRITE ${OUT} "${text}${table}};\n")
