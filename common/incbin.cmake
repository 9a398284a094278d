# Sets `out` to C text by which a file lies in the object as the array `name` of bytes. The assembler reads the file: written out as
# numbers, it takes a compiler longer than the code around it.
function(incbin out name file alignment)
  set(${out} "__asm__(\".pushsection .rodata\\n\\t.balign ${alignment}\\n${name}:\\n\\t.incbin \\\"${file}\\\"\\n\\t.popsection\");
extern const unsigned char ${name}[] __attribute__((visibility(\"hidden\")));\n" PARENT_SCOPE)
endfunction()
