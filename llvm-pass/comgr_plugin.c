/*
 * comgr_plugin.c - liblanescope-comgr-N.so: nothing but its DT_NEEDED, the plugin and the LLVM it is for.
 *
 * Loading it loads the plugin with that LLVM in its scope (dlopen(3): the dependency tree), where a compiler's own process
 * would have LLVM in the global one. A program's LLVM must not become global: other libraries that bring one of their own would take its symbols.
 */
__attribute__((used)) static const int lanescope_comgr_plugin = 1;
