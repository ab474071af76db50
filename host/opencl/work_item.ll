; work_item.ll - work-item functions that libclc leaves out or does without offsets. The host writes
; __heddle_offset and __heddle_dimensions before a launch (ocl_launch.c).
;
; Barriers and fences are inline assembly: libclc's are intrinsics, which LLVM 14 takes for functions
; that write no variable of the program, so that it moves loads of __local variables across them.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64--nvidiacl"

@__heddle_offset = addrspace(4) externally_initialized global [3 x i64] zeroinitializer, align 8
@__heddle_dimensions = addrspace(4) externally_initialized global i64 0, align 8

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()

; sizes are 1 in dimensions that do not exist, libclc's 0

define i64 @_Z14get_local_sizej(i32 %d) alwaysinline {
  switch i32 %d, label %none [ i32 0, label %x
                               i32 1, label %y
                               i32 2, label %z ]
x:
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %have
y:
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  br label %have
z:
  %nz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  br label %have
none:
  br label %have
have:
  %n = phi i32 [ %nx, %x ], [ %ny, %y ], [ %nz, %z ], [ 1, %none ]
  %n64 = zext i32 %n to i64
  ret i64 %n64
}

define i64 @_Z14get_num_groupsj(i32 %d) alwaysinline {
  switch i32 %d, label %none [ i32 0, label %x
                               i32 1, label %y
                               i32 2, label %z ]
x:
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  br label %have
y:
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  br label %have
z:
  %nz = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  br label %have
none:
  br label %have
have:
  %n = phi i32 [ %nx, %x ], [ %ny, %y ], [ %nz, %z ], [ 1, %none ]
  %n64 = zext i32 %n to i64
  ret i64 %n64
}

define i64 @_Z15get_global_sizej(i32 %d) alwaysinline {
  %groups = call i64 @_Z14get_num_groupsj(i32 %d)
  %items = call i64 @_Z14get_local_sizej(i32 %d)
  %n = mul i64 %groups, %items
  ret i64 %n
}

define i64 @_Z17get_global_offsetj(i32 %d) alwaysinline {
  %known = icmp ult i32 %d, 3
  br i1 %known, label %read, label %none
read:
  %p = getelementptr [3 x i64], [3 x i64] addrspace(4)* @__heddle_offset, i32 0, i32 %d
  %v = load i64, i64 addrspace(4)* %p, align 8
  ret i64 %v
none:
  ret i64 0
}

define i32 @_Z12get_work_dimv() alwaysinline {
  %v = load i64, i64 addrspace(4)* @__heddle_dimensions, align 8
  %n = trunc i64 %v to i32
  ret i32 %n
}

define i64 @_Z13get_global_idj(i32 %d) alwaysinline {
  switch i32 %d, label %none [ i32 0, label %x
                               i32 1, label %y
                               i32 2, label %z ]
x:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %cx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  br label %sum
y:
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %cy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  br label %sum
z:
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %nz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %cz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  br label %sum
sum:
  %t = phi i32 [ %tx, %x ], [ %ty, %y ], [ %tz, %z ]
  %n = phi i32 [ %nx, %x ], [ %ny, %y ], [ %nz, %z ]
  %c = phi i32 [ %cx, %x ], [ %cy, %y ], [ %cz, %z ]
  %t64 = zext i32 %t to i64
  %n64 = zext i32 %n to i64
  %c64 = zext i32 %c to i64
  %first = mul i64 %n64, %c64
  %id = add i64 %first, %t64
  %o = call i64 @_Z17get_global_offsetj(i32 %d)
  %sum64 = add i64 %id, %o
  ret i64 %sum64
none:
  ret i64 0
}

define void @_Z7barrierj(i32 %flags) alwaysinline convergent {
  call void asm sideeffect "bar.sync 0;", "~{memory}"() convergent
  ret void
}

; CLK_LOCAL_MEM_FENCE alone orders accesses for the work-group
define void @_Z9mem_fencej(i32 %flags) alwaysinline convergent {
  %local = icmp eq i32 %flags, 1
  br i1 %local, label %group, label %device
group:
  call void asm sideeffect "membar.cta;", "~{memory}"() convergent
  ret void
device:
  call void asm sideeffect "membar.gl;", "~{memory}"() convergent
  ret void
}
define void @_Z14read_mem_fencej(i32 %flags) alwaysinline convergent {
  call void @_Z9mem_fencej(i32 %flags)
  ret void
}
define void @_Z15write_mem_fencej(i32 %flags) alwaysinline convergent {
  call void @_Z9mem_fencej(i32 %flags)
  ret void
}
