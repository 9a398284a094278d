# What sg-run is given wrongly ends it, with a word, before anything runs.
set(wrong --lds=x --lds=-1 --lds=4294967296 --threads=1x --seed= --grid=0x --grid=1,2,3,4 --grid=1,,2
  --workgroup=65536 --check=racesx --check=races,none --weak=one)
set(n 0)
foreach(option IN LISTS wrong)
  math(EXPR n "${n} + 1")
  add_test(NAME soft-gpu-isa-sg-run-${n} COMMAND sg-run ${option} file kernel)
  set_tests_properties(soft-gpu-isa-sg-run-${n} PROPERTIES PASS_REGULAR_EXPRESSION "sg-run: --[a-z]+: '")
endforeach()
