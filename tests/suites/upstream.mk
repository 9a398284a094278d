# The tests of Debian 12's librocrand1 and librocsparse0, which it does not package: from their authors' sources, for the suites
# whose root is `host`. Nothing of these sources is part of this project.
#
#   git clone -b rocm-5.3.3 https://github.com/ROCm/rocRAND; git clone -b rocm-5.3.0 https://github.com/ROCm/rocSPARSE
#   make -j2 -f tests/suites/upstream.mk ROCRAND=rocRAND ROCSPARSE=rocSPARSE
#
# Needs librocrand-dev, librocsparse-dev, hipcc, libgtest-dev and python3-yaml.

ROCRAND ?= rocRAND
ROCSPARSE ?= rocSPARSE
OUT ?= /tmp/lanescope-suites/upstream
ARCHS ?= gfx90a gfx1030

# rocRAND: each file is a program. Kernels of the library's headers are compiled here, those of the library are Debian's.
RAND := $(patsubst $(ROCRAND)/test/%.cpp,$(OUT)/rocrand/%,$(wildcard $(ROCRAND)/test/test_*.cpp))

# rocSPARSE: a part of its functions, of each chapter of its manual; all take hours to compile. The tests' code is the host's.
FUNCTIONS := axpyi gthr coomv csrmv csrsv ellmv csrmm csrsm csrgemm csrilu0 csr2csc nnz csrsort spmv_csr
CLIENTS := $(ROCSPARSE)/clients
SPARSE := $(CLIENTS)/tests/rocsparse_test_main.cpp $(FUNCTIONS:%=$(CLIENTS)/tests/test_%.cpp) \
    $(FUNCTIONS:%=$(CLIENTS)/testings/testing_%.cpp) $(wildcard $(CLIENTS)/common/*.cpp)
OBJECTS := $(SPARSE:$(CLIENTS)/%.cpp=$(OUT)/rocsparse/objects/%.o)

all: rocrand rocsparse
rocrand: $(RAND)
rocsparse: $(OUT)/rocsparse/rocsparse-test $(OUT)/rocsparse/rocsparse_test.data

$(OUT)/rocrand/%: $(ROCRAND)/test/%.cpp
	@mkdir -p $(@D)
	hipcc -w -O2 -std=c++14 $(ARCHS:%=--offload-arch=%) -I$(ROCRAND)/library/src $< -o $@ -lrocrand -lgtest -lgtest_main

$(OUT)/rocsparse/rocsparse-test: $(OBJECTS)
	g++ $^ -o $@ -lrocsparse -lamdhip64 -lgtest -lpthread

$(OUT)/rocsparse/objects/%.o: $(CLIENTS)/%.cpp
	@mkdir -p $(@D)
	hipcc -w -O1 -std=c++14 -x hip --cuda-host-only --offload-arch=gfx1030 -DGOOGLE_TEST -mfma -ffp-contract=on \
	    -I$(CLIENTS)/include -I/usr/include/rocsparse -c $< -o $@

$(OUT)/rocsparse/rocsparse_test.data:
	@mkdir -p $(@D)
	cd $(CLIENTS)/tests && python3 ../common/rocsparse_gentest.py -I ../include rocsparse_test.yaml -o $@

.PHONY: all rocrand rocsparse
.DELETE_ON_ERROR:
